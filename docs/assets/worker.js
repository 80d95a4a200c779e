// Search from a folder: browsers start no worker from a file, so this one runs the search in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.frame = frame;
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = new Promise((done) => {
        const script = this.inner.document.createElement("script");
        script.src = address;
        script.onload = done;
        this.inner.document.body.append(script);
      });
    }
    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
