package har

// What follows are the objects of HAR 1.2 as far as they are written at once, by the names that
// HAR has for them; bodies are written behind, see writer.go. The names of fields that HAR does not
// have begin with an underscore.

type creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type page struct {
	Started string      `json:"startedDateTime"`
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	Timings pageTimings `json:"pageTimings"`
	URL     string      `json:"_url,omitempty"`
}

type pageTimings struct {
	OnContentLoad int `json:"onContentLoad"`
	OnLoad        int `json:"onLoad"`
}

// entry is what HAR calls an entry, without its request and response.
type entry struct {
	Page    string   `json:"pageref,omitempty"`
	Started string   `json:"startedDateTime"`
	Time    int64    `json:"time"`
	Timings timings  `json:"timings"`
	Cache   struct{} `json:"cache"`
	Address string   `json:"serverIPAddress,omitempty"`

	// Completion says that no client has asked: the recorder did, for the whole after a part, or after
	// what broke off (record.Facts).
	Completion string `json:"_completion,omitempty"`
}

type timings struct {
	Blocked int    `json:"blocked"`
	DNS     int    `json:"dns"`
	Connect int    `json:"connect"`
	SSL     int    `json:"ssl"`
	Send    int64  `json:"send"`
	Wait    int64  `json:"wait"`
	Receive int64  `json:"receive"`
	Comment string `json:"comment,omitempty"`
}

type request struct {
	Method    string   `json:"method"`
	URL       string   `json:"url"`
	Version   string   `json:"httpVersion"`
	Cookies   []cookie `json:"cookies"`
	Fields    []pair   `json:"headers"`
	Query     []pair   `json:"queryString"`
	HeadSize  int      `json:"headersSize"`
	BodySize  int64    `json:"bodySize"`
	Truncated string   `json:"_truncated,omitempty"`
	Comment   string   `json:"comment,omitempty"`
}

type response struct {
	Status    int      `json:"status"`
	Reason    string   `json:"statusText"`
	Version   string   `json:"httpVersion"`
	Cookies   []cookie `json:"cookies"`
	Fields    []pair   `json:"headers"`
	Redirect  string   `json:"redirectURL"`
	HeadSize  int      `json:"headersSize"`
	BodySize  int64    `json:"bodySize"`
	Truncated string   `json:"_truncated,omitempty"`
	Comment   string   `json:"comment,omitempty"`
}

// pair is a field of a head, or an argument of a query.
type pair struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Comment string `json:"comment,omitempty"`
}

type cookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Path     string `json:"path,omitempty"`
	Domain   string `json:"domain,omitempty"`
	Expires  string `json:"expires,omitempty"`
	HTTPOnly bool   `json:"httpOnly,omitempty"`
	Secure   bool   `json:"secure,omitempty"`
	SameSite string `json:"sameSite,omitempty"`
}

// content is that of a response, without its text.
type content struct {
	Size        int64  `json:"size"`
	Compression int64  `json:"compression,omitempty"` // bytes that the coding saved
	Type        string `json:"mimeType"`
	Encoding    string `json:"encoding,omitempty"`
	Coded       bool   `json:"_coded,omitempty"` // the content coding is not taken off
	Comment     string `json:"comment,omitempty"`
}

// postData is what a request sent, without its text.
type postData struct {
	Type     string  `json:"mimeType"`
	Params   []param `json:"params,omitempty"`
	Encoding string  `json:"encoding,omitempty"`
	Comment  string  `json:"comment,omitempty"`
}

type param struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	File  string `json:"fileName,omitempty"`
	Type  string `json:"contentType,omitempty"`
}
