"""Reports of reproduced papers: sections, pictures, pages."""
