"""Chapter 17: the engine that walks the list backwards, calls every rule and adds up what arrives."""
