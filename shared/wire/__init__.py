"""What crosses a border between processes: one module per border."""
