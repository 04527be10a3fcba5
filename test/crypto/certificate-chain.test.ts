import { describe, expect, it } from 'vitest'
import { isIssuedBy, readChainCertificate } from '../../src/crypto/certificate-chain.ts'

/** Apple's own, as its servers send them: public, and printed in the tests of Apple's library. */
const ROOT =
  'MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcNMTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtfTjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM6BgD56KyKA=='
const INTERMEDIATE =
  'MIIDFjCCApygAwIBAgIUIsGhRwp0c2nvU4YSycafPTjzbNcwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcNMjEwMzE3MjAzNzEwWhcNMzYwMzE5MDAwMDAwWjB1MUQwQgYDVQQDDDtBcHBsZSBXb3JsZHdpZGUgRGV2ZWxvcGVyIFJlbGF0aW9ucyBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTELMAkGA1UECwwCRzYxEzARBgNVBAoMCkFwcGxlIEluYy4xCzAJBgNVBAYTAlVTMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEbsQKC94PrlWmZXnXgtxzdVJL8T0SGYngDRGpngn3N6PT8JMEb7FDi4bBmPhCnZ3/sq6PF/cGcKXWsL5vOteRhyJ45x3ASP7cOB+aao90fcpxSv/EZFbniAbNgZGhIhpIo4H6MIH3MBIGA1UdEwEB/wQIMAYBAf8CAQAwHwYDVR0jBBgwFoAUu7DeoVgziJqkipnevr3rr9rLJKswRgYIKwYBBQUHAQEEOjA4MDYGCCsGAQUFBzABhipodHRwOi8vb2NzcC5hcHBsZS5jb20vb2NzcDAzLWFwcGxlcm9vdGNhZzMwNwYDVR0fBDAwLjAsoCqgKIYmaHR0cDovL2NybC5hcHBsZS5jb20vYXBwbGVyb290Y2FnMy5jcmwwHQYDVR0OBBYEFD8vlCNR01DJmig97bB85c+lkGKZMA4GA1UdDwEB/wQEAwIBBjAQBgoqhkiG92NkBgIBBAIFADAKBggqhkjOPQQDAwNoADBlAjBAXhSq5IyKogMCPtw490BaB677CaEGJXufQB/EqZGd6CSjiCtOnuMTbXVXmxxcxfkCMQDTSPxarZXvNrkxU3TkUMI33yzvFVVRT4wxWJC994OsdcZ4+RGNsYDyR5gmdr0nDGg='
const LEAF =
  'MIIEMTCCA7agAwIBAgIQR8KHzdn554Z/UoradNx9tzAKBggqhkjOPQQDAzB1MUQwQgYDVQQDDDtBcHBsZSBXb3JsZHdpZGUgRGV2ZWxvcGVyIFJlbGF0aW9ucyBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTELMAkGA1UECwwCRzYxEzARBgNVBAoMCkFwcGxlIEluYy4xCzAJBgNVBAYTAlVTMB4XDTI1MDkxOTE5NDQ1MVoXDTI3MTAxMzE3NDcyM1owgZIxQDA+BgNVBAMMN1Byb2QgRUNDIE1hYyBBcHAgU3RvcmUgYW5kIGlUdW5lcyBTdG9yZSBSZWNlaXB0IFNpZ25pbmcxLDAqBgNVBAsMI0FwcGxlIFdvcmxkd2lkZSBEZXZlbG9wZXIgUmVsYXRpb25zMRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNnVvhcv7iT+7Ex5tBMBgrQspHzIsXRi0Yxfek7lv8wEmj/bHiWtNwJqc2BoHzsQiEjP7KFIIKg4Y8y0/nynuAmjggIIMIICBDAMBgNVHRMBAf8EAjAAMB8GA1UdIwQYMBaAFD8vlCNR01DJmig97bB85c+lkGKZMHAGCCsGAQUFBwEBBGQwYjAtBggrBgEFBQcwAoYhaHR0cDovL2NlcnRzLmFwcGxlLmNvbS93d2RyZzYuZGVyMDEGCCsGAQUFBzABhiVodHRwOi8vb2NzcC5hcHBsZS5jb20vb2NzcDAzLXd3ZHJnNjAyMIIBHgYDVR0gBIIBFTCCAREwggENBgoqhkiG92NkBQYBMIH+MIHDBggrBgEFBQcCAjCBtgyBs1JlbGlhbmNlIG9uIHRoaXMgY2VydGlmaWNhdGUgYnkgYW55IHBhcnR5IGFzc3VtZXMgYWNjZXB0YW5jZSBvZiB0aGUgdGhlbiBhcHBsaWNhYmxlIHN0YW5kYXJkIHRlcm1zIGFuZCBjb25kaXRpb25zIG9mIHVzZSwgY2VydGlmaWNhdGUgcG9saWN5IGFuZCBjZXJ0aWZpY2F0aW9uIHByYWN0aWNlIHN0YXRlbWVudHMuMDYGCCsGAQUFBwIBFipodHRwOi8vd3d3LmFwcGxlLmNvbS9jZXJ0aWZpY2F0ZWF1dGhvcml0eS8wHQYDVR0OBBYEFIFioG4wMMVA1ku9zJmGNPAVn3eqMA4GA1UdDwEB/wQEAwIHgDAQBgoqhkiG92NkBgsBBAIFADAKBggqhkjOPQQDAwNpADBmAjEA+qXnREC7hXIWVLsLxznjRpIzPf7VHz9V/CTm8+LJlrQepnmcPvGLNcX6XPnlcgLAAjEA5IjNZKgg5pQ79knF4IbTXdKv8vutIDMXDmjPVT3dGvFtsGRwXOywR2kZCdSrfeot'

const derOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))

function certificateOf(der: Uint8Array<ArrayBuffer>) {
  const certificate = readChainCertificate(der)
  if (certificate === undefined) throw new Error('a certificate is expected')
  return certificate
}

describe("Apple's own chain", () => {
  const [root, intermediate, leaf] = [ROOT, INTERMEDIATE, LEAF].map((text) => certificateOf(derOf(text)))
  if (!root || !intermediate || !leaf) throw new Error('three certificates are expected')

  it('the chain leads from the leaf to the root, and nowhere else', async () => {
    expect(await isIssuedBy(leaf, intermediate)).toBe(true)
    expect(await isIssuedBy(intermediate, root)).toBe(true)
    expect(await isIssuedBy(root, root)).toBe(true)
    expect(await isIssuedBy(leaf, root)).toBe(false)
    expect(await isIssuedBy(root, intermediate)).toBe(false)
  })

  it('a certificate says when it is valid, whether it may issue others, and what Apple marks it for', () => {
    expect(new Date(leaf.notBefore * 1000).toISOString()).toBe('2025-09-19T19:44:51.000Z')
    expect(new Date(leaf.notAfter * 1000).toISOString()).toBe('2027-10-13T17:47:23.000Z')
    expect([root, intermediate, leaf].map(({ isAuthority }) => isAuthority)).toEqual([true, true, false])
    expect([root, intermediate, leaf].map(({ curve }) => curve)).toEqual(['P-384', 'P-384', 'P-256'])
    expect(leaf.extensions).toContain('2a864886f76364060b01')
    expect(intermediate.extensions).toContain('2a864886f76364060201')
    expect(leaf.extensions).not.toContain('2a864886f76364060201')
  })

  it('a certificate that says it may not issue others may not', () => {
    const der = derOf(INTERMEDIATE)
    const mayIssue = Buffer.from(der).indexOf(Buffer.from('0603551d130101ff040830060101ff', 'hex')) + 14
    expect(certificateOf(der.with(mayIssue, 0)).isAuthority).toBe(false)
  })

  it('a certificate with any byte changed is malformed, another one, or not issued', async () => {
    const genuine = derOf(LEAF)
    let issued = 0
    const signed = genuine.length - 120 // what follows is the signature, with its algorithm
    for (let at = 0; at < genuine.length; at += at < signed ? 7 : 1) {
      const changed = genuine.with(at, (genuine[at] ?? 0) ^ 1)
      const certificate = readChainCertificate(changed)
      if (certificate && (await isIssuedBy(certificate, intermediate))) issued += 1
    }
    expect(issued).toBe(0)
  })

  it('a certificate that is cut, or has something behind it, is malformed', () => {
    const genuine = derOf(LEAF)
    for (let end = 0; end < genuine.length; end += 13) {
      expect(readChainCertificate(genuine.slice(0, end))).toBeUndefined()
    }
    expect(readChainCertificate(Uint8Array.of(...genuine, 0))).toBeUndefined()
    expect(readChainCertificate(Uint8Array.of(...genuine, ...genuine))).toBeUndefined()
  })

  it('a certificate whose unsigned algorithm differs from the signed one is malformed', () => {
    const genuine = derOf(LEAF)
    const outer = Buffer.from(genuine).lastIndexOf(Buffer.from('2a8648ce3d040303', 'hex'))
    expect(readChainCertificate(genuine.with(outer + 7, 2))).toBeUndefined()
  })
})
