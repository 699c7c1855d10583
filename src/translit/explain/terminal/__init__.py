"""The views of explanations in a terminal; nothing is imported here, so that the glossary comes without torch."""
