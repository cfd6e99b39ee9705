// anser.js is a CommonJS module: this is where its `module.exports` goes.
var module = {};
