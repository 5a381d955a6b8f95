"""Before there is an account: welcome and sign-in."""
