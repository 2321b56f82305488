package metrics

import "warcorder/recorder/shared"

// ofShared are of the server of dedup-shared; there are none without it.
func ofShared() (all []number) {
	for _, of := range []struct {
		name, help string
		n          func(*shared.Status) int64
	}{
		{"found_total", "Originals of other recorders that revisits name.",
			func(s *shared.Status) int64 { return s.Found }},
		{"asked_total", "Originals that the server of dedup-shared was asked for.",
			func(s *shared.Status) int64 { return s.Asked }},
		{"failed_total", "Originals for which the server of dedup-shared gave no answer.",
			func(s *shared.Status) int64 { return s.Failed }},
		{"passed_total", "Originals for which the server of dedup-shared was passed over.",
			func(s *shared.Status) int64 { return s.Passed }},
		{"published_total", "Originals that the server of dedup-shared was told of.",
			func(s *shared.Status) int64 { return s.Published }},
		{"dropped_total", "Originals that the server of dedup-shared could not be told of.",
			func(s *shared.Status) int64 { return s.Dropped }},
	} {
		all = append(all, number{counter, "dedup_shared_" + of.name, of.help, nil, ofServer(of.n)})
	}
	return append(all, number{gauge, "dedup_shared_up",
		"Whether the server of dedup-shared is asked and told; else it has failed, and is left alone.", nil,
		ofServer(func(s *shared.Status) int64 { return int64(bit(s.Up)) })})
}

// ofServer is a family of what is known of the server, if there is one.
func ofServer(n func(*shared.Status) int64) tell {
	return func(f *Facts, out func(float64, ...string)) {
		if s := f.Recorder.DedupShared; s != nil {
			out(float64(n(s)))
		}
	}
}
