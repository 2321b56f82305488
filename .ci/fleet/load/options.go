package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// options are the flags of the command clients.
type options struct {
	plan      plan
	atOnce    int
	rate      float64 // exchanges a second, at most; 0 is as fast as it goes
	folder    string  // that of the origin
	root      string
	out       string
	pids      string
	patience  time.Duration // how long an exchange is tried again
	limit     time.Duration // for one try
	addresses []string      // of recorders
}

func parse(words []string) (o options, err error) {
	flags := flag.NewFlagSet("clients", flag.ContinueOnError)
	flags.Uint64Var(&o.plan.seed, "seed", 1, "of the plan")
	flags.IntVar(&o.plan.count, "count", 1000, "exchanges")
	flags.Float64Var(&o.plan.repeats, "repeats", 0.6, "share of bodies that came before")
	flags.IntVar(&o.plan.apart, "apart", 500, "least exchanges between a body and the same again")
	flags.IntVar(&o.plan.large, "large", 500, "one body in so many is large")
	flags.IntVar(&o.atOnce, "at-once", 16, "exchanges at a time")
	flags.Float64Var(&o.rate, "rate", 0, "exchanges a second, at most")
	flags.StringVar(&o.folder, "folder", ".", "that of the origin")
	flags.StringVar(&o.root, "ca", "", "root certificate of the recorders")
	flags.StringVar(&o.out, "notes", "", "file for what clients have got")
	flags.StringVar(&o.pids, "pids", "", "recorders whose processor time is measured")
	flags.DurationVar(&o.patience, "patience", 30*time.Second, "how long an exchange is tried")
	flags.DurationVar(&o.limit, "limit", 20*time.Second, "for one try")
	err = flags.Parse(words)
	o.addresses, o.plan.recorders = flags.Args(), flags.NArg()
	return o, err
}

// find reads where the origin is.
func (p *plan) find(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "origin"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &p.plain, &p.secure)
	}
	return err
}

// newDoors are the ways through the recorders, which trust their root.
func newDoors(o options) (doors []*http.Client, err error) {
	text, err := os.ReadFile(o.root)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	for _, address := range o.addresses {
		doors = append(doors, &http.Client{Transport: &http.Transport{
			Proxy:               http.ProxyURL(&url.URL{Scheme: "http", Host: address}),
			TLSClientConfig:     &tls.Config{RootCAs: pool},
			MaxIdleConnsPerHost: o.atOnce,
			DisableCompression:  true,
		}})
	}
	return doors, nil
}
