"""Programs that model degraders, one module each; one module more adds a program."""
