package metrics

import "github.com/prometheus/client_golang/prometheus"

// ofUpload are of files and object storage; there are none where nothing is uploaded.
func ofUpload() (all []number) {
	states := []string{"state"}
	all = []number{
		{gauge, "upload_files", "WARC files by whether object storage has them, and objects that are stale.", states,
			each(func(f *Facts) []value[int64] {
				if u := f.Upload; u != nil {
					return []value[int64]{{"finished", u.Finished}, {"stored", u.Stored}, {"away", u.Away},
						{"stale", u.Stale}}
				}
				return nil
			})},
		{gauge, "upload_bytes", "Bytes of WARC files by whether object storage has them.", states,
			each(func(f *Facts) []value[int64] {
				if u := f.Upload; u != nil {
					return []value[int64]{{"finished", u.FinishedBytes}, {"stored", u.StoredBytes}, {"away", u.AwayBytes}}
				}
				return nil
			})},
	}
	for _, of := range []struct {
		kind       prometheus.ValueType
		name, help string
		n          func(*Upload) float64
	}{
		{gauge, "lag_seconds", "How long ago the oldest WARC file was finished that is not in object storage.",
			func(u *Upload) float64 { return u.Lag }},
		{counter, "sent_bytes_total", "Bytes that were sent to object storage, and verified there.",
			func(u *Upload) float64 { return float64(u.Sent) }},
		{counter, "failures_total", "Tries of uploads that failed; each is followed by another one.",
			func(u *Upload) float64 { return float64(u.Failures) }},
		{gauge, "up", "Whether something can be sent to object storage, as far as is known.",
			func(u *Upload) float64 { return float64(bit(u.Up)) }},
	} {
		all = append(all, number{of.kind, "upload_" + of.name, of.help, nil,
			func(f *Facts, out func(float64, ...string)) {
				if f.Upload != nil {
					out(of.n(f.Upload))
				}
			}})
	}
	return all
}
