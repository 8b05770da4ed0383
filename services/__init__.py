"""The Kronika services: one package each, same shape, never importing each other."""
