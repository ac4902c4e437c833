"""Optional parts of the service. A module here with a constant `EXTRA`, named in `service.settings.EXTRAS`, is one."""
