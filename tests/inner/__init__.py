"""What several tests reach inside the library, a file a room: a redesign that moves a name changes it here alone."""
