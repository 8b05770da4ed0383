"""Ports: what the services need from outside, as nouns. Adapters fulfil them."""
