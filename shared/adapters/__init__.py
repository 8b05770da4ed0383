"""Adapters: ports fulfilled with a technology each. Only here are nats and redis imported."""
