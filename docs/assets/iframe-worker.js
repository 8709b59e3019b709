// Browsers start no workers for pages that are opened from a folder. The search of the site then
// runs in a hidden frame, with the interface of a worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      inside.importScripts = (...addresses) =>
        addresses.reduce((before, each) => before.then(() => load(inside, each)), Promise.resolve());
      this.inside = inside;
      this.frame = frame;
      this.ready = load(inside, new URL(address, location.href).href);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
  const load = (inside, address) =>
    new Promise((resolve, reject) => {
      const script = inside.document.createElement("script");
      Object.assign(script, { src: address, onload: resolve, onerror: reject });
      inside.document.body.append(script);
    });
}
