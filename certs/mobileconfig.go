package certs

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"strings"
)

// profile is a configuration profile (Apple, Device Management: TopLevel, CertificateRoot), with
// the file's name, the certificate, its name, the UUIDs of both parts and the end of their
// identifiers.
const profile = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
	"http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>PayloadContent</key>
	<array>
		<dict>
			<key>PayloadCertificateFileName</key>
			<string>%[1]s</string>
			<key>PayloadContent</key>
			<data>%[2]s</data>
			<key>PayloadDescription</key>
			<string>The certificate by which warcorder reads HTTPS.</string>
			<key>PayloadDisplayName</key>
			<string>%[3]s</string>
			<key>PayloadIdentifier</key>
			<string>internal.warcorder.%[6]s.root</string>
			<key>PayloadType</key>
			<string>com.apple.security.root</string>
			<key>PayloadUUID</key>
			<string>%[5]s</string>
			<key>PayloadVersion</key>
			<integer>1</integer>
		</dict>
	</array>
	<key>PayloadDescription</key>
	<string>Lets this device open HTTPS pages through the recording proxy warcorder. Whoever has ` +
	`the key of the certificate can pose as any site: remove this profile when you are done.</string>
	<key>PayloadDisplayName</key>
	<string>%[3]s</string>
	<key>PayloadIdentifier</key>
	<string>internal.warcorder.%[6]s</string>
	<key>PayloadOrganization</key>
	<string>warcorder</string>
	<key>PayloadRemovalDisallowed</key>
	<false/>
	<key>PayloadType</key>
	<string>Configuration</string>
	<key>PayloadUUID</key>
	<string>%[4]s</string>
	<key>PayloadVersion</key>
	<integer>1</integer>
</dict>
</plist>
`

// Mobileconfig returns the certificate that clients have to trust as a configuration profile of
// Apple's systems, not signed. All of it is made of the certificate: who installs it twice has it
// once, and the profiles of two roots stand beside each other.
func (a *Authority) Mobileconfig() ([]byte, error) {
	der := a.chain.top().Raw
	var name strings.Builder
	if err := xml.EscapeText(&name, []byte(a.Name())); err != nil {
		return nil, fmt.Errorf("write the name of the certificate: %w", err)
	}
	sum := sha256.Sum256(der)
	return fmt.Appendf(nil, profile,
		"warcorder-ca.cer",
		base64.StdEncoding.EncodeToString(der),
		&name,
		uuidOf("profile", der),
		uuidOf("root", der),
		fmt.Sprintf("%x", sum[:4]),
	), nil
}

// uuidOf returns the UUID of a thing that is made of a certificate (RFC 9562 section 5.8).
func uuidOf(what string, der []byte) string {
	sum := sha256.Sum256(append([]byte(what+"\x00"), der...))
	sum[6] = sum[6]&0x0f | 0x80 // version 8
	sum[8] = sum[8]&0x3f | 0x80 // the variant of that document
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10],
		sum[10:16]))
}
