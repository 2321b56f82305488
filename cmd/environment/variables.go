package environment

// A variable is one that programs read.
type variable struct {
	name  string
	value func(m *maker, name string) string // "" if it is not to be set
	empty bool                               // it is set even to nothing
	who   string                             // reads it
}

// variables are all that are set. Those of one program are there since it reads no other, or since
// systems set them to their own roots, which would hide ours.
var variables = []variable{
	{"http_proxy", proxyURL, false, "curl, wget, Python, Perl, Ruby, Go, Node.js, libraries of all"},
	{"https_proxy", proxyURL, false, "as http_proxy, for https:"},
	{"all_proxy", proxyURL, false, "curl, httpx: for what has no variable of its own"},
	{"HTTP_PROXY", proxyURL, false, "Go, Deno, .NET; CGI programs ignore it"},
	{"HTTPS_PROXY", proxyURL, false, "as https_proxy"},
	{"ALL_PROXY", proxyURL, false, "as all_proxy"},
	{"no_proxy", nothing, true, "hosts without a proxy: none"},
	{"NO_PROXY", nothing, true, "as no_proxy"},

	{"SSL_CERT_FILE", bundle, false, "OpenSSL (Python, Ruby, curl, wget2), Go, rustls, httpx"},
	{"NIX_SSL_CERT_FILE", inherited(bundle), false, "what Nix builds, before SSL_CERT_FILE"},
	{"CURL_CA_BUNDLE", bundle, false, "curl, Python requests, R"},
	{"REQUESTS_CA_BUNDLE", bundle, false, "Python requests, which has roots of its own"},
	{"AWS_CA_BUNDLE", bundle, false, "aws, boto3"},
	{"GIT_SSL_CAINFO", bundle, false, "git"},
	{"PIP_CERT", bundle, false, "pip, before its configuration"},
	{"HTTPLIB2_CA_CERTS", bundle, false, "Python httplib2"},
	{"PYTHONPATH", python, false, "Python, for certifi and Selenium"},
	{"SE_AVOID_STATS", one, false, "Selenium, whose reports to its makers are no captures"},
	{"CARGO_HTTP_CAINFO", bundle, false, "cargo"},
	{"PERL_LWP_SSL_CA_FILE", bundle, false, "Perl LWP, which has roots of its own"},
	{"PERL_LWP_ENV_PROXY", one, false, "Perl LWP, to read http_proxy"},
	{"npm_config_cafile", bundle, false, "npm, before its configuration"},
	{"CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", inherited(bundle), false, "gcloud"},
	{"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", bundle, false, "gRPC"},
	{"WGETRC", wgetrc, false, "wget, whose GnuTLS reads no variable"},

	{"NODE_EXTRA_CA_CERTS", extra, false, "Node.js, Bun: beside roots of their own"},
	{"NODE_USE_ENV_PROXY", one, false, "Node.js from 22.21 and 24.5 on, to read http_proxy"},
	{"NODE_OPTIONS", node, false, "Node.js, for what older ones do not do, and for browsers"},
	{"PATH", path, false, "whoever starts Chromium or Chrome by its name"},
	{"BROZZLER_EXTRA_CHROME_ARGS", brozzler, false, "brozzler, for its browsers"},
	{"DENO_CERT", extra, false, "Deno: beside roots of its own"},
	{"JAVA_TOOL_OPTIONS", java, false, "Java, which reads none of the others"},
}

func proxyURL(m *maker, _ string) string { return m.proxy.url() }

func nothing(*maker, string) string { return "" }

func one(*maker, string) string { return "1" }

// inherited sets a variable only where it is set already.
func inherited(value func(*maker, string) string) func(*maker, string) string {
	return func(m *maker, name string) string {
		if m.get(name) == "" {
			return ""
		}
		return value(m, name)
	}
}
