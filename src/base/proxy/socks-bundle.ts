/** A file of its own in the build: most machines have no SOCKS proxy, and none needs this before it is named. */
export { SocksClient } from 'socks';
