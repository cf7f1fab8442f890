"""What sensors say."""
