"""General dialogs: questions, forms, pickers, lists to manage, help, palette."""
