"""The revisions, oldest first by number. One that has been released is never changed."""
