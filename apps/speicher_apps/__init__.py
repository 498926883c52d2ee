"""Programs: the `speicher` command, play in the terminal and the browser, replay pages, and the speed meter."""
