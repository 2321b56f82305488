package cmd

import (
	"fmt"
	"strconv"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
)

// recorderFlags are the flags of recorder.Config.
type recorderFlags struct {
	WARCPrefix     string        `name:"warc-prefix" default:"${warc_prefix}"`
	WARCName       string        `name:"warc-name" default:"${warc_name}"`
	WARCMaxSize    int64         `name:"warc-max-size" default:"${warc_max_size}" type:"size"`
	WARCIdle       time.Duration `name:"warc-idle" default:"${warc_idle}"`
	WARCMaxAge     time.Duration `name:"warc-max-age" default:"${warc_max_age}"`
	CommitInterval time.Duration `name:"commit-interval" default:"${commit_interval}"`
	IndexInterval  time.Duration `name:"index-interval" default:"${index_interval}"`
	CommitSize     int64         `name:"commit-size" default:"${commit_size}" type:"size"`
	Sync           string        `name:"sync" enum:"batch,always,none" default:"${sync}"`
	MinFreeSpace   int64         `name:"min-free-space" default:"${min_free_space}" type:"size"`
	QueueSize      int64         `name:"queue-size" default:"${queue_size}" type:"size"`

	Mode collection.Mode `name:"archive-mode" default:"${archive_mode}"`

	WARCVersion   string `name:"warc-version" enum:"1.0,1.1" default:"${warc_version}"`
	Digest        string `name:"digest" enum:"sha1,sha256" default:"${digest}"`
	PayloadDigest string `name:"payload-digest" enum:"wire,entity" default:"${payload_digest}"`
	SL            bool   `name:"sl" negatable:"" default:"${sl}"`

	WARCInfo  warcinfoFlags `embed:"" prefix:"warcinfo-"`
	Dedup     dedupFlags    `embed:""`
	DedupFrom []string      `name:"dedup-from" placeholder:"DIR|URL,…"`

	DedupShared string        `name:"dedup-shared" placeholder:"URL"`
	DedupTTL    time.Duration `name:"dedup-ttl" default:"0s"`

	Keys keysFlags `embed:"" prefix:"keys-"`
}

// warcinfoFlags are the flags of record.WARCInfo.
type warcinfoFlags struct {
	Operator    string `name:"operator" placeholder:"TEXT"`
	IsPartOf    string `name:"is-part-of" placeholder:"TEXT"`
	Description string `name:"description" placeholder:"TEXT"`
	Robots      string `name:"robots" placeholder:"TEXT"`
}

// dedupFlags are the flags of record.DedupConfig.
type dedupFlags struct {
	Dedup    string        `name:"dedup" enum:"url,collection,off" default:"${dedup}"`
	MinSize  int64         `name:"dedup-min-size" default:"${dedup_min_size}" type:"size"`
	DedupFor time.Duration `name:"dedup-for" default:"${dedup_for}"`
}

// keysFlags are the flags of store.KeysConfig.
type keysFlags struct {
	Extra    []string           `name:"extra" placeholder:"KEY,…"`
	Profiles store.ProfileRules `name:"profiles" hidden:"" type:"rules"`
}

// config is what the flags say.
func (f *recorderFlags) config() recorder.Config {
	return recorder.Config{
		WARCPrefix:     f.WARCPrefix,
		WARCName:       f.WARCName,
		WARCMaxSize:    f.WARCMaxSize,
		WARCIdle:       f.WARCIdle,
		WARCMaxAge:     f.WARCMaxAge,
		CommitInterval: f.CommitInterval,
		IndexInterval:  f.IndexInterval,
		CommitSize:     f.CommitSize,
		Sync:           f.Sync,
		MinFreeSpace:   f.MinFreeSpace,
		QueueSize:      f.QueueSize,
		Mode:           f.Mode,
		WARCVersion:    f.WARCVersion,
		Digest:         f.Digest,
		PayloadDigest:  f.PayloadDigest,
		NoSL:           !f.SL,
		WARCInfo:       record.WARCInfo(f.WARCInfo),
		Dedup:          record.DedupConfig(f.Dedup),
		DedupFrom:      f.DedupFrom,
		DedupShared:    f.DedupShared,
		DedupTTL:       f.DedupTTL,
		Keys:           store.KeysConfig(f.Keys),
	}
}

// recorderDefaults are the defaults of recorderFlags as --help shows them.
func recorderDefaults() map[string]string {
	d := recorder.Default()
	return map[string]string{
		"warc_prefix":     d.WARCPrefix,
		"warc_name":       d.WARCName,
		"warc_max_size":   sizeText(d.WARCMaxSize),
		"warc_idle":       durationText(d.WARCIdle),
		"warc_max_age":    durationText(d.WARCMaxAge),
		"commit_interval": durationText(d.CommitInterval),
		"index_interval":  durationText(d.IndexInterval),
		"commit_size":     sizeText(d.CommitSize),
		"sync":            d.Sync,
		"min_free_space":  sizeText(d.MinFreeSpace),
		"queue_size":      sizeText(d.QueueSize),
		"archive_mode":    fmt.Sprintf("%04o", d.Mode),
		"warc_version":    d.WARCVersion,
		"digest":          d.Digest,
		"payload_digest":  d.PayloadDigest,
		"sl":              strconv.FormatBool(!d.NoSL),
		"dedup":           d.Dedup.Dedup,
		"dedup_min_size":  sizeText(d.Dedup.MinSize),
		"dedup_for":       durationText(d.Dedup.DedupFor),
	}
}
