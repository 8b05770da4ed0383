"""What every Kronika service may read: events, rules, the fold of a match, ports and adapters."""
