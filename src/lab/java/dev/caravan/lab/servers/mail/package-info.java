/** Mail servers, and the mails that they have received. */
package dev.caravan.lab.servers.mail;
