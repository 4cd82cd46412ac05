"""A user's own data as a stream, with no code: a folder with one file per task, or with folders of texts."""
