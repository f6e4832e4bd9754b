"""Where a request comes from."""

from ipaddress import IPv6Address, IPv6Network

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

OF_ONE_HOUSEHOLD = 64  # bits: who has one IPv6 address has all that begin with these


def client_address(request: HttpRequest | Request) -> str:
    """The caller's address; a forwarded one counts only as far as TRUSTED_PROXIES says that we wrote it. Of IPv6 it is
    the network: to those who have it, another address costs nothing."""
    forwarded = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    if settings.TRUSTED_PROXIES and len(forwarded) >= settings.TRUSTED_PROXIES:
        return network_of(forwarded[-settings.TRUSTED_PROXIES])
    return network_of(str(request.META.get("REMOTE_ADDR", "")))


def network_of(address: str) -> str:
    try:
        found = IPv6Address(address)
    except ValueError:
        return address
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), OF_ONE_HOUSEHOLD), strict=False).network_address)
