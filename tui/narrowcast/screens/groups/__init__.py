"""User groups, their members and who may do what with them."""
