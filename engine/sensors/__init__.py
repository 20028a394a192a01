"""What turns documents into facts."""
