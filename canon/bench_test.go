package canon

import (
	"strings"
	"testing"
)

// typical URLs, as browsers and crawlers ask for them.
var typical = []struct{ name, url string }{
	{"page", "https://www.example.com/news/2024/05/some-article-about-something.html"},
	{"image", "https://static.cdn.example.net/assets/images/products/2048x1536/00a1b2c3d4e5f6.jpg"},
	{"query", "https://www.example.com/search?q=web+archiving&page=2&sort=date&lang=en&utm_source=newsletter&utm_medium=email"},
	{"escapes", "https://de.wikipedia.org/wiki/Web-Archivierung_%28Begriffskl%C3%A4rung%29?title=%C3%9Cber%20uns&action=raw&b=%2Fa%3Fb"},
	{"tracker", "https://px.ads.example.com/collect?v=2&tid=G-ABCDEF1234&gtm=45je4&_p=1715000000000&cid=1234567890.1715000000&ul=en-us&sr=1920x1080&uaa=x86&uab=64&uam=&uap=Linux&uapv=6.5.0&uaw=0&frm=0&pscdl=noapi&_s=1&sid=1715000000&sct=1&seg=0&dl=https%3A%2F%2Fwww.example.com%2Fnews%2F2024%2F05%2F&dt=Some%20article%20about%20something&en=page_view&_fv=1&_ss=1"},
	{"session", "http://shop.example.org/(S(4hqa0555fwsecu455xqckv45))/cart.aspx?PHPSESSID=0123456789abcdefghijklmnopqrstuv&item=17"},
	{"post", "https://api.example.com/v1/graphql?__wb_method=POST&query=query%20Page%28%24id%3A%20ID%21%29&variables=%7B%22id%22%3A17%7D"},
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

func BenchmarkWithMethod(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		WithMethod("https://api.example.com/v1/graphql?x=1", "POST")
	}
}
