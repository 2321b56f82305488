package cmd

import (
	"strconv"
	"time"

	"warcorder/proxy"
	"warcorder/proxy/access"
	"warcorder/proxy/dial"
	"warcorder/proxy/dns"
	"warcorder/proxy/hosts"
	"warcorder/proxy/http1"
	"warcorder/proxy/route"
)

// proxyFlags are the flags of proxy.Config.
type proxyFlags struct {
	Clients hosts.Networks `name:"clients" placeholder:"NETWORK,…"`
	Users   access.Users   `name:"proxy-users" placeholder:"NAME:BCRYPT,…"`

	InsecureUpstream hosts.List `name:"insecure-upstream" placeholder:"HOST,…"`
	NoRecord         hosts.List `name:"no-record" placeholder:"HOST,…" type:"hosts"`

	Tunnel   hosts.List   `name:"tunnel" placeholder:"HOST,…" type:"hosts"`
	Deny     hosts.Set    `name:"deny" placeholder:"HOST,NETWORK,…"`
	Allow    hosts.Set    `name:"allow" placeholder:"HOST,NETWORK,…"`
	Upstream route.Routes `name:"upstream" placeholder:"WAY,…"`

	OnClientAbort string `name:"on-client-abort" enum:"cut,finish" default:"${on_client_abort}"`

	Codings   http1.Codings `name:"codings" default:"${codings}"`
	Anticache string        `name:"anticache" enum:"missing,always,never" default:"${anticache}"`

	UpstreamCA  string             `name:"upstream-ca" placeholder:"FILE"`
	ClientCerts []proxy.ClientCert `name:"client-certs" hidden:"" type:"client-certs"`

	MaxConnections  int   `name:"max-connections" default:"${max_connections}"`
	MaxHeaderSize   int64 `name:"max-header-size" default:"${max_header_size}" type:"size"`
	MaxHeaderMemory int64 `name:"max-header-memory" default:"${max_header_memory}" type:"size"`
	MaxBodySize     int64 `name:"max-body-size" default:"${max_body_size}" type:"size"`
	RecordDNS       bool  `name:"record-dns"`

	Resolver      dns.Servers        `name:"resolver" placeholder:"ADDRESS:PORT,…"`
	SourceAddress dial.SourceAddress `name:"source-address" placeholder:"ADDRESS,…"`

	Complete completeFlags `embed:""`
	Timeout  timeoutFlags  `embed:"" prefix:"timeout-"`
}

// completeFlags are the flags of proxy.Complete.
type completeFlags struct {
	What    string        `name:"complete" enum:"auto,always,never" default:"${complete}"`
	Max     int64         `name:"complete-max" default:"${complete_max}" type:"size"`
	Quiet   time.Duration `name:"complete-quiet" default:"${complete_quiet}"`
	Within  time.Duration `name:"complete-within" default:"${complete_within}"`
	Timeout time.Duration `name:"complete-timeout" default:"${complete_timeout}"`
	Again   time.Duration `name:"complete-again" default:"${complete_again}"`
	PerHost int           `name:"complete-per-host" default:"${complete_per_host}"`
	AtOnce  int           `name:"complete-at-once" default:"${complete_at_once}"`
	Waiting int           `name:"complete-waiting" default:"${complete_waiting}"`
	Running int           `name:"complete-running" default:"${complete_running}"`
}

// timeoutFlags are the flags of proxy.Timeout.
type timeoutFlags struct {
	Header    time.Duration `name:"header" default:"${timeout_header}"`
	Connect   time.Duration `name:"connect" default:"${timeout_connect}"`
	TLS       time.Duration `name:"tls" default:"${timeout_tls}"`
	FirstByte time.Duration `name:"first-byte" default:"${timeout_first_byte}"`
	Idle      time.Duration `name:"idle" default:"${timeout_idle}"`
	Total     time.Duration `name:"total" default:"${timeout_total}"`
}

// config is what the flags say.
func (f *proxyFlags) config() proxy.Config {
	return proxy.Config{
		Clients:          f.Clients,
		Users:            f.Users,
		InsecureUpstream: f.InsecureUpstream,
		NoRecord:         f.NoRecord,
		Tunnel:           f.Tunnel,
		Deny:             f.Deny,
		Allow:            f.Allow,
		Upstream:         f.Upstream,
		OnClientAbort:    f.OnClientAbort,
		Codings:          f.Codings,
		Anticache:        f.Anticache,
		UpstreamCA:       f.UpstreamCA,
		ClientCerts:      f.ClientCerts,
		MaxConnections:   f.MaxConnections,
		MaxHeaderSize:    f.MaxHeaderSize,
		MaxHeaderMemory:  f.MaxHeaderMemory,
		MaxBodySize:      f.MaxBodySize,
		RecordDNS:        f.RecordDNS,
		Resolver:         f.Resolver,
		SourceAddress:    f.SourceAddress,
		Complete:         proxy.Complete(f.Complete),
		Timeout:          proxy.Timeout(f.Timeout),
	}
}

// proxyDefaults are the defaults of proxyFlags as --help shows them.
func proxyDefaults() map[string]string {
	d := proxy.Default()
	return map[string]string{
		"on_client_abort":    d.OnClientAbort,
		"codings":            d.Codings.String(),
		"anticache":          d.Anticache,
		"max_connections":    strconv.Itoa(d.MaxConnections),
		"max_header_size":    sizeText(d.MaxHeaderSize),
		"max_header_memory":  sizeText(d.MaxHeaderMemory),
		"max_body_size":      sizeText(d.MaxBodySize),
		"complete":           d.Complete.What,
		"complete_max":       sizeText(d.Complete.Max),
		"complete_quiet":     durationText(d.Complete.Quiet),
		"complete_within":    durationText(d.Complete.Within),
		"complete_timeout":   durationText(d.Complete.Timeout),
		"complete_again":     durationText(d.Complete.Again),
		"complete_per_host":  strconv.Itoa(d.Complete.PerHost),
		"complete_at_once":   strconv.Itoa(d.Complete.AtOnce),
		"complete_waiting":   strconv.Itoa(d.Complete.Waiting),
		"complete_running":   strconv.Itoa(d.Complete.Running),
		"timeout_header":     durationText(d.Timeout.Header),
		"timeout_connect":    durationText(d.Timeout.Connect),
		"timeout_tls":        durationText(d.Timeout.TLS),
		"timeout_first_byte": durationText(d.Timeout.FirstByte),
		"timeout_idle":       durationText(d.Timeout.Idle),
		"timeout_total":      durationText(d.Timeout.Total),
	}
}
