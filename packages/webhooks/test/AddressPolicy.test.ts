import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import ipaddr from "ipaddr.js"
import {
  type AddressPolicyOptions,
  checkUrl,
  makeAddressPolicy,
  refuseAddress,
  refuseDestination
} from "../src/AddressPolicy.ts"
import { classifyAddress, parseAddress } from "../src/classifyAddress.ts"
import { classifyHostName } from "../src/classifyHostName.ts"
import { makeSeededRandom, type SeededRandom } from "./seededRandom.ts"
import addresses from "./webhook-addresses.json" with { type: "json" }

const policyOf = (options?: AddressPolicyOptions) => Result.getOrThrow(makeAddressPolicy(options))
const strict = policyOf()

const reasonOf = (url: string, options?: AddressPolicyOptions) => {
  const verdict = checkUrl(policyOf(options), url)
  return verdict.isAllowed ? "allowed" : verdict.reason
}

const kindOf = (address: string) => classifyAddress(parseAddress(address))

const drawAddress = (random: SeededRandom): string => {
  if (random.below(2) === 0) return [...random.bytes(4)].join(".")
  const words = Array.from({ length: 8 }, () => random.below(65_536))
  // Half of them inside 2000::/3, where the holes are; some with many zeros, where the short forms
  // are.
  if (random.below(2) === 0) words[0] = 0x20_00 | (words[0]! & 0x1f_ff)
  if (random.below(4) === 0)
    words[0] = [0x2001, 0x2002, 0x2620, 0x3fff, 0x64, 0, 0xfe80][random.below(7)]!
  if (random.below(3) === 0) words.fill(0, 1, 1 + random.below(7))
  return words.map((word) => word.toString(16)).join(":")
}

describe("AddressPolicy", () => {
  for (const { url, why } of addresses.refuse) {
    it(`refuses to register ${JSON.stringify(url)} (${why})`, () => {
      assert.isFalse(checkUrl(strict, url).isAllowed)
    })
  }

  for (const entry of addresses.allow) {
    it(`registers ${entry}`, () => {
      const verdict = checkUrl(strict, entry)
      assert.isTrue(verdict.isAllowed)
    })
  }

  it("says in a word why a URL is refused", () => {
    assert.strictEqual(reasonOf("https://127.0.0.1/"), "loopback")
    assert.strictEqual(reasonOf("https://10.0.0.1/"), "private")
    assert.strictEqual(reasonOf("https://169.254.169.254/"), "metadata")
    assert.strictEqual(reasonOf("https://169.254.1.1/"), "link_local")
    assert.strictEqual(reasonOf("https://224.0.0.1/"), "multicast")
    assert.strictEqual(reasonOf("https://0.0.0.0/"), "unspecified")
    assert.strictEqual(reasonOf("https://[2001:db8::1]/"), "reserved")
    assert.strictEqual(reasonOf("https://0x7f.1/"), "not_canonical")
    assert.strictEqual(reasonOf("https://localhost/"), "private_name")
    assert.strictEqual(reasonOf("https://hidden.onion/"), "reserved_name")
    assert.strictEqual(reasonOf("https://-a.com/"), "malformed_name")
    assert.strictEqual(reasonOf("https://a:b@example.com/"), "user_info")
    assert.strictEqual(reasonOf("https://example.com/#x"), "fragment")
    assert.strictEqual(reasonOf("http://example.com/"), "scheme_not_allowed")
    assert.strictEqual(reasonOf("https://example.com:22/"), "port_not_allowed")
    assert.strictEqual(reasonOf(`https://example.com/${"a".repeat(2048)}`), "too_long")
  })

  it("allows none of 100,000 addresses that another library calls special", () => {
    const random = makeSeededRandom(136)
    let publicCount = 0
    for (let round = 0; round < 100_000; round++) {
      const address = drawAddress(random)
      const kind = kindOf(address)
      if (kind === "public") publicCount++
      const range = ipaddr.parse(address).range()
      if (kind === "public") assert.strictEqual(range, "unicast", address)
    }
    assert.isAbove(publicCount, 20_000)
  })

  it("is exact at the edges of every IPv4 block", () => {
    const publicOnes =
      "9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 " +
      "169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 " +
      "192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255 " +
      "192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255 " +
      "198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 " +
      "1.0.0.0 168.63.129.15 168.63.129.17"
    const specialOnes =
      "0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 " +
      "127.255.255.255 169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.255 " +
      "192.0.2.0 192.31.196.255 192.52.193.0 192.88.99.0 192.168.0.0 192.168.255.255 " +
      "192.175.48.255 198.18.0.0 198.19.255.255 198.51.100.0 203.0.113.255 224.0.0.0 " +
      "239.255.255.255 240.0.0.0 255.255.255.255 168.63.129.16"
    for (const one of publicOnes.split(" ")) assert.strictEqual(kindOf(one), "public", one)
    for (const one of specialOnes.split(" ")) {
      assert.notStrictEqual(kindOf(one), "public", one)
    }
  })

  it("takes nothing for public in IPv6 but what is in 2000::/3 and in no special block", () => {
    for (const one of ["2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "2620:4f:7fff::"]) {
      assert.strictEqual(kindOf(one), "public", one)
    }
    const specialOnes =
      "1fff:ffff:: 4000:: 2001:1ff:ffff:: 2002:ffff:: 3fff:fff:: 2620:4f:8000:: ::8.8.8.8 8.8.8 " +
      "0:0:0:0:0:ffff:808:808 ::ffff:8.8.8.8 fe80::1%eth0"
    for (const one of ["", ...specialOnes.split(" ")]) {
      assert.notStrictEqual(kindOf(one), "public", one)
    }
  })

  it("calls an IPv4 address in IPv6 clothes reserved, however it is written", () => {
    for (const one of ["::ffff:127.0.0.1", "::FFFF:7f00:1", "0:0:0:0:0:ffff:127.0.0.1"]) {
      assert.strictEqual(kindOf(one), "reserved", one)
    }
  })

  it("opens private networks by any range, and on any port", () => {
    const allowCidrs = ["10.0.0.0/8", "100.64.0.0/10", "fd00::/8"]
    assert.strictEqual(reasonOf("https://10.1.2.3:9000/", { allowCidrs }), "allowed")
    assert.strictEqual(reasonOf("https://[fd12::1]:9000/", { allowCidrs }), "allowed")
    assert.strictEqual(reasonOf("https://192.168.0.1/", { allowCidrs }), "private")
    assert.strictEqual(reasonOf("https://10.1.2.3/", { allowCidrs: ["::/0"] }), "private")
    assert.strictEqual(reasonOf("https://[fd12::1]/", { allowCidrs: ["0.0.0.0/0"] }), "private")
    assert.strictEqual(reasonOf("https://8.8.8.8:9000/", { allowCidrs }), "port_not_allowed")
    assert.strictEqual(reasonOf("https://8.8.8.8:9000/", { allowCidrs: ["8.8.8.0/24"] }), "allowed")
  })

  it("opens loopback, link-local, metadata and reserved addresses only by their own name", () => {
    const special =
      "127.0.0.1 169.254.1.1 169.254.169.254 100.100.100.200 0.0.0.0 224.0.0.1 198.18.0.1 " +
      "168.63.129.16"
    for (const address of special.split(" ")) {
      const url = `https://${address}:9000/`
      const wide = ["0.0.0.0/0", "::/0"]
      assert.notStrictEqual(reasonOf(url, { allowCidrs: wide }), "allowed", address)
      assert.strictEqual(reasonOf(url, { allowCidrs: [`${address}/32`] }), "allowed", address)
    }
    for (const address of ["::1", "fe80::1", "fd00:ec2::254", "ff02::1", "2001:db8::1"]) {
      const url = `https://[${address}]:9000/`
      assert.notStrictEqual(reasonOf(url, { allowCidrs: ["::/0", "0.0.0.0/0"] }), "allowed")
      assert.strictEqual(reasonOf(url, { allowCidrs: [`${address}/128`] }), "allowed", address)
    }
  })

  it("never opens an IPv4 address in IPv6 clothes", () => {
    const allowCidrs = ["127.0.0.1/32", "10.0.0.0/8", "::/0"]
    for (const address of [
      "::ffff:127.0.0.1",
      "::ffff:10.0.0.1",
      "::127.0.0.1",
      "64:ff9b::a00:1"
    ]) {
      assert.strictEqual(reasonOf(`https://[${address}]/`, { allowCidrs }), "reserved")
    }
  })

  it("leaves private names and odd ports to the delivery once a network is open", () => {
    const policy = policyOf({ allowCidrs: ["10.0.0.0/8"] })
    const hook = { protocol: "https:", hostname: "hooks.internal", port: 9000 }
    assert.isTrue(checkUrl(policy, "https://hooks.internal:9000/").isAllowed)
    assert.isNull(refuseDestination(policy, hook, ["10.0.0.1"]))
    assert.strictEqual(refuseDestination(policy, hook, ["127.0.0.1"]), "loopback")
    const usual = { ...hook, port: 443 }
    assert.strictEqual(refuseDestination(policy, usual, ["8.8.8.8"]), "private_name")
    const port = { ...hook, hostname: "example.com" }
    assert.isTrue(checkUrl(policy, "https://example.com:9000/").isAllowed)
    assert.strictEqual(refuseDestination(policy, port, ["8.8.8.8"]), "port_not_allowed")
    assert.isFalse(checkUrl(policy, "https://hidden.onion/").isAllowed)
  })

  it("judges names as strictly as ever where only single addresses are open", () => {
    const policy = policyOf({ allowCidrs: ["127.0.0.1/32", "::1/128"] })
    const isReachable = (url: string) => /^https:\/\/(127\.0\.0\.1|\[[0:]*:0*1\])\/$/.test(url)
    for (const { url } of addresses.refuse) {
      assert.strictEqual(checkUrl(policy, url).isAllowed, isReachable(url), url)
    }
  })

  it("refuses a name with any forbidden answer", () => {
    const site = { protocol: "https:", hostname: "127.0.0.1.nip.io", port: 443 }
    assert.isNull(refuseDestination(strict, site, ["8.8.8.8", "2606:4700:4700::1111"]))
    assert.strictEqual(refuseDestination(strict, site, ["127.0.0.1"]), "loopback")
    assert.strictEqual(refuseDestination(strict, site, ["8.8.8.8", "::1"]), "loopback")
    assert.strictEqual(refuseDestination(strict, site, ["8.8.8.8", "fd00::1"]), "private")
  })

  it("accepts http only with the switch, and then on the listed ports", () => {
    const options = { allowHttp: true, ports: [80, 443] }
    assert.strictEqual(reasonOf("http://example.com/", options), "allowed")
    assert.strictEqual(reasonOf("http://example.com/", { allowHttp: true }), "port_not_allowed")
    const site = { protocol: "http:", hostname: "example.com", port: 443 }
    assert.strictEqual(refuseDestination(strict, site, ["8.8.8.8"]), "scheme_not_allowed")
  })

  it("refuses the service's own names and addresses", () => {
    const options = { ownHosts: ["Api.Example.com", "8.8.8.8"] }
    assert.strictEqual(reasonOf("https://api.example.com/v1/bots", options), "own_host")
    assert.strictEqual(reasonOf("https://8.8.8.8/", options), "own_host")
    assert.strictEqual(refuseAddress(policyOf(options), "8.8.8.8", 443), "own_host")
  })

  it("refuses one port of an address that is the service, whatever is allowed", () => {
    const policy = policyOf({
      allowCidrs: ["127.0.0.1/32", "127.0.0.2/32", "::1/128"],
      ownHosts: ["127.0.0.1:8080", "[::1]:8080", "[2606:4700:4700::1111]"]
    })
    assert.strictEqual(refuseAddress(policy, "127.0.0.1", 8080), "own_host")
    assert.isNull(refuseAddress(policy, "127.0.0.1", 9000))
    // It may listen on all addresses of the loopback.
    assert.strictEqual(refuseAddress(policy, "127.0.0.2", 8080), "own_host")
    assert.isNull(refuseAddress(policy, "127.0.0.2", 9000))
    assert.strictEqual(refuseAddress(policy, "::1", 8080), "own_host")
    assert.isNull(refuseAddress(policy, "::1", 9000))
    assert.strictEqual(refuseAddress(policy, "2606:4700:4700::1111", 443), "own_host")
    // A name that leads to it is refused as well.
    const site = { protocol: "https:", hostname: "sly.example.com", port: 8080 }
    const open = { ...policy, hasNetworks: true }
    assert.strictEqual(refuseDestination(open, site, ["127.0.0.1"]), "own_host")
  })

  it("takes every network in which something can be opened", () => {
    for (const range of [
      ..."126.0.0.0/7 0.0.0.0/0 10.0.0.0/8 100.100.100.200/31 168.63.129.16/31".split(" "),
      ..."::/0 fc00::/6 fd00::/8 fd00:ec2::254/127 2000::/3 127.0.0.1/32 ::1/128".split(" ")
    ]) {
      assert.isTrue(Result.isSuccess(makeAddressPolicy({ allowCidrs: [range] })), range)
    }
  })

  it("names the option and the value that make no policy", () => {
    for (const range of [
      "10.0.0.0",
      "10.0.0.0/33",
      "10.0.0/8",
      "::/129",
      "::ffff:0:0/96",
      "::ffff:10.0.0.1/0",
      "0:0:0:0:0:ffff:a00:1/128",
      "a/8",
      // They would open nothing: what is in them is only opened one by one.
      "127.0.0.0/8",
      "127.0.0.1/31",
      "169.254.169.254/31",
      "224.0.0.0/4",
      "240.0.0.0/5",
      "198.18.0.0/16",
      "::/64",
      "fe80::/10",
      "ff02::/16",
      "2001:db8::/48",
      "f800::/6",
      "1.1.1.1/"
    ]) {
      const error = Result.flip(makeAddressPolicy({ allowCidrs: [range] }))
      assert.deepInclude(Result.getOrThrow(error), { option: "allowCidrs", value: range })
    }
    for (const port of [0, 65_536, 1.5]) {
      assert.isTrue(Result.isFailure(makeAddressPolicy({ ports: [port] })))
    }
  })

  it("tells public names from private, reserved and malformed ones", () => {
    for (const name of ["example.com", "a_b.example.com", "localhost.com", "internal.io"]) {
      assert.strictEqual(classifyHostName(name), "public")
    }
    for (const name of ["redis", "a.local", "Host.Docker.INTERNAL", "x.svc.cluster.local"]) {
      assert.strictEqual(classifyHostName(name), "private_name")
    }
    for (const name of ["1.0.0.127.in-addr.arpa", "x.test", "example"]) {
      assert.strictEqual(classifyHostName(name), "reserved_name")
    }
    for (const name of ["", "a..b", "a-.com", `${"a".repeat(64)}.com`, "a b.com", "a.com."]) {
      assert.strictEqual(classifyHostName(name), "malformed_name")
    }
  })
})
