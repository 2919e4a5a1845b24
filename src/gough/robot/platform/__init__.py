"""How a platform is held: by agreement on its freedoms, and by cuts whose axes home gives."""
