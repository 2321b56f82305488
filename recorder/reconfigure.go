package recorder

// Change is settings that a recorder can take while it records.
type Change struct {
	recorder *Recorder
	cfg      Config
}

// Prepare looks whether a recorder could record by other settings, and changes nothing yet. Of
// them count, once they are taken:
//
//	WARCPrefix, WARCName, WARCInfo         for files that are begun from then on
//	WARCMaxSize, WARCIdle, WARCMaxAge      for files that are open, too
//	CommitInterval, IndexInterval, CommitSize, QueueSize, MinFreeSpace
//	DedupTTL                               for originals that others are told of from then on
//	Dedup                                  for exchanges whose records are made from then on
//
// The others stay as they are: of what is in the collection already lines, names and records would be
// of two kinds, or what they are for has begun with the recorder. One change is prepared and taken at
// a time.
func (r *Recorder) Prepare(cfg Config) (*Change, error) {
	cfg = cfg.changing(r.cfg.Load())
	cfg, err := cfg.withDefaults()
	return &Change{r, cfg}, err
}

// changing is c with what does not change as was has it.
func (c Config) changing(was *Config) Config {
	c.Sync, c.Mode = was.Sync, was.Mode
	c.WARCVersion, c.Digest, c.PayloadDigest, c.NoSL =
		was.WARCVersion, was.Digest, was.PayloadDigest, was.NoSL
	c.DedupFrom, c.DedupShared = was.DedupFrom, was.DedupShared
	c.Keys, c.Progress = was.Keys, was.Progress
	return c
}

// Take lets the settings count. What waits is looked at anew: what has become due is done at once. No
// disk is asked, which may not answer.
func (c *Change) Take() {
	r, cfg := c.recorder, &c.cfg
	r.cfg.Store(cfg)
	r.rules.Store(&cfg.Dedup)
	r.memory.Adopt(cfg.QueueSize, cfg.MinFreeSpace)
	r.queue.bytes.resize(cfg.QueueSize)
	r.lanes.adopt(cfg)
	r.committer.adopt(cfg)
	r.batches.adopt(cfg) // which wakes the committer
	free := r.free.Load()
	if free >= 0 || cfg.MinFreeSpace == 0 { // else the next look tells
		r.judgeSpace(free, nil)
	}
}
