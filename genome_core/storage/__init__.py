"""The one store, on SQLAlchemy Core, for SQLite and PostgreSQL."""
