// No JavaScript.

export default function (
