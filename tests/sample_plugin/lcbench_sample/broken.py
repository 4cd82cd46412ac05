"""An entry point that cannot be imported: it must cost a warning and nothing more."""

raise RuntimeError("this plugin is broken on purpose")
