package canon

import (
	"strings"
	"testing"
)

// typical URLs, as browsers and crawlers ask for them.
var typical = []struct{ name, url string }{
	{"page", "https://www.example.com/news/2024/05/some-article-about-something.html"},
	{"image", "https://static.cdn.example.net/assets/images/products/2048x1536/00a1b2c3d4e5f6.jpg"},
	{
		"query",
		"https://www.example.com/search?q=web+archiving&page=2&sort=date&lang=en" +
			"&utm_source=newsletter&utm_medium=email",
	},
	{
		"escapes",
		"https://de.wikipedia.org/wiki/Web-Archivierung_%28Begriffskl%C3%A4rung%29" +
			"?title=%C3%9Cber%20uns&action=raw&b=%2Fa%3Fb",
	},
	{
		"tracker",
		"https://px.ads.example.com/collect?v=2&tid=G-ABCDEF1234&gtm=45je4&_p=1715000000000" +
			"&cid=1234567890.1715000000&ul=en-us&sr=1920x1080&uaa=x86&uab=64&uam=&uap=Linux&uapv=6.5.0" +
			"&uaw=0&frm=0&pscdl=noapi&_s=1&sid=1715000000&sct=1&seg=0" +
			"&dl=https%3A%2F%2Fwww.example.com%2Fnews%2F2024%2F05%2F" +
			"&dt=Some%20article%20about%20something&en=page_view&_fv=1&_ss=1",
	},
	{
		"session",
		"http://shop.example.org/(S(4hqa0555fwsecu455xqckv45))/cart.aspx" +
			"?PHPSESSID=0123456789abcdefghijklmnopqrstuv&item=17",
	},
	{
		"post",
		"https://api.example.com/v1/graphql?__wb_method=POST&query=query%20Page%28%24id%3A%20ID%21%29" +
			"&variables=%7B%22id%22%3A17%7D",
	},
	{"address", "http://192.168.10.20:8080/cgi-bin/status"},
	{"idn", "http://www.b\u00fccher.example/katalog"},
	{"long", "https://www.example.com/a?data=" + strings.Repeat("eyJhbGciOiJIUzI1NiJ9%2B", 180)},
}

func BenchmarkSURT(b *testing.B) {
	for _, u := range typical {
		b.Run(u.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(u.url)))
			for b.Loop() {
				SURT(u.url)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())*100/float64(b.N*len(u.url)), "ns/100B")
		})
	}
}

// posts are typical bodies, as browsers send them.
var posts = []struct{ name, contentType, body string }{
	{
		"json",
		"application/json",
		`{"operationName":"Page","variables":{"id":17,"first":20,"after":null,"filters":[{"key":"tag",` +
			`"values":["a","b"]}],"price":9.99,"sort":"date"},"query":"query Page($id: ID!) { page(id: ` +
			`$id) { title } }"}`,
	},
	{
		"form",
		"application/x-www-form-urlencoded",
		"username=someone%40example.com&comment=Hello+world%21+%C3%9Cber+uns&token=0123456789abcdef" +
			"&submit=1",
	},
	{
		"multipart",
		"multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
		"------WebKitFormBoundary7MA4YWxkTrZu0gW\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n" +
			"some text\r\n------WebKitFormBoundary7MA4YWxkTrZu0gW\r\nContent-Disposition: form-data; " +
			"name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n" + strings.Repeat(
			"line\n", 200) + "\r\n------WebKitFormBoundary7MA4YWxkTrZu0gW--\r\n",
	},
	{
		"text",
		"text/plain;charset=UTF-8",
		"event=pageview&t=1715000000&u=https%3A%2F%2Fwww.example.com%2F",
	},
	{"binary", "application/octet-stream", strings.Repeat("\x00\x01\xfe\xff", 500)},
	{
		"long json",
		"application/json",
		"{\"events\":[" + strings.Repeat(
			`{"name":"click","at":1715000000.25,"props":{"x":10,"y":20,"el":"a.button"}},`,
			20000,
		) + `{"name":"end"}]}`,
	},
	{
		"long multipart",
		"multipart/form-data; boundary=X",
		"--X\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n" + strings.Repeat(
			"binary\n\xff\x00 data\r\n", 1<<16) + "\r\n--X--\r\n",
	},
}

func BenchmarkKeys(b *testing.B) {
	for _, dialect := range []Dialect{Pywb, Spec, WarcioJS} {
		b.Run(string(dialect)+"/get", func(b *testing.B) {
			benchmarkKeys(b, dialect, &Request{URL: typical[0].url, Method: "GET"})
		})
		for _, p := range posts {
			b.Run(string(dialect)+"/"+p.name, func(b *testing.B) {
				r := &Request{
					URL:         "https://api.example.com/v1/graphql?x=1",
					Method:      "POST",
					ContentType: p.contentType,
					Body:        []byte(p.body),
				}
				b.SetBytes(int64(len(p.body)))
				benchmarkKeys(b, dialect, r)
			})
		}
	}
}

func benchmarkKeys(b *testing.B, dialect Dialect, r *Request) {
	b.ReportAllocs()
	for b.Loop() {
		dialect.Keys(r)
	}
}

// BenchmarkOtherKeys has the keys of other kinds.
func BenchmarkOtherKeys(b *testing.B) {
	profiles := rules(b)
	const url = "https://de.wikipedia.org/wiki/Web-Archivierung_%28Begriffskl%C3%A4rung%29" +
		"?title=%C3%9Cber+uns"
	for name, key := range map[string]func(){
		"path":     func() { profiles.URL(url) },
		"wwwoffle": func() { WWWOFFLE(url) },
		"form":     func() { FormKey(posts[1].body) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				key()
			}
		})
	}
}
