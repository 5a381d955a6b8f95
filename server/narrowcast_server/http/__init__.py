"""HTTP requests and responses: the application, its parameters, and the limits of its connections."""
