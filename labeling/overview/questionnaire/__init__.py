"""The demo's finished study: material written for it, and people who are not there, answering by the pages."""
