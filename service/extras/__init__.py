"""Optional parts of the service. A module here, named in `service.settings.EXTRAS`, is one: `ROUTES` has its routes."""
