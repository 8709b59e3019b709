"""The documentation site: pages made from the code, and checks of what was built."""
