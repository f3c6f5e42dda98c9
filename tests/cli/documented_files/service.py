import client_that_is_not_installed


def tidy(text):
    return " ".join(text.split())


def fetch(url):
    return tidy(client_that_is_not_installed.get(url))
