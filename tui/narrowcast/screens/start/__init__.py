"""The screens before there is an account: welcome and login."""
