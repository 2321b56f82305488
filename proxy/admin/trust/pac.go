package trust

// PACPath is where the script for automatic proxy configuration is.
const PACPath = "/proxy.pac"

// PAC is a script by which clients use the proxy at host:port for all but its own pages there,
// which it would not fetch from itself. The address is made of letters, digits and ".-_:[]" alone.
func PAC(proxy string) string {
	return `function FindProxyForURL(url, host) {
  if (url.substring(0, ` + "\"http://" + proxy + `/".length) === "http://` + proxy + `/") return "DIRECT";
  return "PROXY ` + proxy + `";
}
`
}
