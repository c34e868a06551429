// Starts the Slack emulator of the npm package "emulate" at PORT and sends its events, signed with SECRET, to EVENTS_URL.
//
// The package offers three things less than its peer needs, so that its own plugin object is wrapped before it starts:
// no seed names a subscriber of events, events are not signed, and arguments in a query are not read, though Slack reads
// them and slack-sdk sends them so.
import { createHmac } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { PORT, EVENTS_URL, SECRET } = process.env;
const FORM = "application/x-www-form-urlencoded";

const dist = dirname(fileURLToPath(import.meta.resolve("emulate")));
const bundle = readdirSync(dist).find(
  (name) => name.endsWith(".js") && readFileSync(join(dist, name), "utf8").includes("var slackPlugin ="),
);
const { slackPlugin } = await import(pathToFileURL(join(dist, bundle)).href);
const { createEmulator } = await import("emulate");

function signed({ body }) {
  const time = String(Math.floor(Date.now() / 1000));
  const mac = createHmac("sha256", SECRET).update(`v0:${time}:${body}`).digest("hex");
  return { "Content-Type": "application/json", "X-Slack-Request-Timestamp": time, "X-Slack-Signature": `v0=${mac}` };
}

function withArgumentsInBody(request) {
  const url = new URL(request.url);
  const hasNoBody = request.method === "GET" || !request.headers.has("content-type") || request.headers.get("content-length") === "0";
  if (!url.pathname.startsWith("/api/") || !hasNoBody) return request;
  const headers = new Headers(request.headers);
  headers.set("content-type", FORM);
  headers.delete("content-length");
  const body = url.searchParams.toString();
  url.search = "";
  return new Request(url, { method: "POST", headers, body });
}

const register = slackPlugin.register;
slackPlugin.register = (app, store, webhooks, ...rest) => {
  webhooks.register({ url: EVENTS_URL, events: ["*"], active: true, owner: "slack" });
  register.call(slackPlugin, app, store, webhooks, ...rest);
  webhooks.setHeaderFactory(signed);
  const fetch = app.fetch;
  app.fetch = async (request) => fetch(withArgumentsInBody(request));
};

const scopes = ["chat:write", "channels:history", "channels:join", "channels:read", "files:write", "im:history", "im:write", "reactions:read", "reactions:write", "users:read", "users:read.email"];
const slack = await createEmulator({
  service: "slack",
  port: Number(PORT),
  seed: {
    slack: {
      team: { name: "Home", domain: "home" },
      users: [{ name: "mara", real_name: "Mara", email: "mara@home.example" }],
      channels: [{ name: "general" }, { name: "ops" }],
      bots: [{ name: "overwinter" }],
      oauth_apps: [{ client_id: "1.2", client_secret: "s", app_id: "A0APP", name: "overwinter", redirect_uris: [], scopes, bot_name: "overwinter" }],
      tokens: [{ token: "xoxp-mara", user: "mara" }, { token: "xoxb-overwinter", user: "overwinter" }],
    },
  },
});
console.log("ready");
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => slack.close().then(() => process.exit(0)));
