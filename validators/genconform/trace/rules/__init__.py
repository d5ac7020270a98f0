"""The rules, a module an event kind. Each says which evidence shows one boolean of the packet."""
