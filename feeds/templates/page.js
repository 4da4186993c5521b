"use strict";
// Nothing needs this. Dates are on the server's clock without it, and addresses are copied by hand.
{
  const clock = new Intl.DateTimeFormat("en-GB", {
    day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  });
  for (const time of document.querySelectorAll(".byline time")) {
    const parts = Object.fromEntries(clock.formatToParts(new Date(time.dateTime)).map(({ type, value }) => [type, value]));
    time.textContent = `${parts.day} ${parts.month} ${parts.year}, ${parts.hour}:${parts.minute}`;
  }
  for (const field of document.querySelectorAll(".address input[readonly]")) {
    field.addEventListener("focus", () => field.select());
    // Browsers give the clipboard to secure pages only.
    if (navigator.clipboard) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
      });
      field.after(button);
    }
  }
}
