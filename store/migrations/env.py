"""Run by Alembic, with the connection that ``migrate`` was given; the transaction is the caller's."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table="schema_version",
    transactional_ddl=False,
)
context.run_migrations()
