// Command baseline is goproxy as it is usually run, tuned, and recording nothing: the measure for
// what warcorder may cost. It intercepts TLS with warcorder's own kind of root (ECDSA), keeps a
// certificate for each host, keeps connections to origins alive, and does not verify them.
//
//	go run ./proxy/testdata/baseline -listen 127.0.0.1:8081 -ca DIR
package main

import (
	"crypto/tls"
	"flag"
	"io"
	"log"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/elazarl/goproxy"

	"warcorder/certs"
)

// cache keeps the leaf of each host.
type cache struct {
	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

// Fetch returns a host's leaf, made once.
func (c *cache) Fetch(host string,
	make func() (*tls.Certificate, error)) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if leaf, ok := c.leaves[host]; ok {
		return leaf, nil
	}
	leaf, err := make()
	if err == nil {
		c.leaves[host] = leaf
	}
	return leaf, err
}

func main() {
	listen := flag.String("listen", "127.0.0.1:8081", "address")
	dir := flag.String("ca", "", "directory of the root certificate, as warcorder --ca-dir")
	flag.Parse()
	if _, err := certs.Open(*dir); err != nil {
		log.Fatal(err)
	}
	root, err := tls.LoadX509KeyPair(filepath.Join(*dir, "ca", "warcorder-ca.pem"),
		filepath.Join(*dir, "ca", "warcorder-ca.key"))
	if err != nil {
		log.Fatal(err)
	}
	proxy := goproxy.NewProxyHttpServer()
	proxy.Logger = log.New(io.Discard, "", 0)
	proxy.KeepAcceptEncoding = true
	proxy.CertStore = &cache{leaves: map[string]*tls.Certificate{}}
	proxy.Tr = &http.Transport{
		TLSClientConfig: &tls.Config{
			InsecureSkipVerify: true,
			ClientSessionCache: tls.NewLRUClientSessionCache(4096),
		},
		DisableCompression:  true,
		MaxIdleConns:        1024,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     30 * time.Second,
	}
	mitm := &goproxy.ConnectAction{
		Action:    goproxy.ConnectMitm,
		TLSConfig: goproxy.TLSConfigFromCA(&root),
	}
	proxy.OnRequest().
		HandleConnectFunc(func(host string, _ *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) { return mitm, host })
	log.Fatal(http.ListenAndServe(*listen, proxy))
}
