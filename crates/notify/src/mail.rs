//! Mail over SMTP.

use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

use crate::message::Notice;
use crate::targets::{Mail, MailTls};

/// Each step of the exchange, and all of it.
const STEP_WAIT_MAX: Duration = Duration::from_secs(10);
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Sends a notice. The error names the cause.
pub async fn send(mail: &Mail, notice: &Notice) -> Result<(), String> {
    let of = |cause: String| format!("mail server {}:{}: {cause}", mail.host, mail.port);
    let sent = tokio::time::timeout(WAIT_MAX, deliver(mail, notice)).await;
    sent.unwrap_or_else(|_| Err(format!("not done within {} s", WAIT_MAX.as_secs()))).map_err(of)
}

async fn deliver(mail: &Mail, notice: &Notice) -> Result<(), String> {
    let message = message(mail, notice)?;
    let words = |error: lettre::transport::smtp::Error| {
        // The library's words name the kind of the error only; the source has the cause.
        let source =
            std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        format!("{error}{}", if error.to_string().contains(&source) { "" } else { &source })
    };
    let builder = match mail.tls {
        MailTls::Starttls => {
            AsyncSmtpTransport::<Tokio1Executor>::starttls_relay(&mail.host).map_err(words)?
        }
        MailTls::Tls => AsyncSmtpTransport::<Tokio1Executor>::relay(&mail.host).map_err(words)?,
        MailTls::None => AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&mail.host),
    };
    let mut builder = builder.port(mail.port).timeout(Some(STEP_WAIT_MAX));
    if let Some((user, password)) = &mail.user {
        builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
    }
    builder.build().send(message).await.map(drop).map_err(words)
}

fn message(mail: &Mail, notice: &Notice) -> Result<Message, String> {
    let mut builder =
        Message::builder().from(mail.from.clone()).subject(notice.title()).header(ContentType::TEXT_PLAIN);
    for to in &mail.to {
        builder = builder.to(to.clone());
    }
    builder.body(notice.text()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// A mail server that takes one mail, or refuses its recipient.
    async fn server(takes: bool) -> (Mail, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            stream.write_all(b"220 mail.example ESMTP\r\n").await.unwrap();
            let (mut received, mut in_data) = (String::new(), false);
            loop {
                let mut line = String::new();
                if stream.read_line(&mut line).await.unwrap() == 0 {
                    return received;
                }
                received.push_str(&line);
                let answer = match line.get(..4).unwrap_or_default() {
                    _ if in_data && line == ".\r\n" => {
                        in_data = false;
                        "250 taken"
                    }
                    _ if in_data => continue,
                    "DATA" => {
                        in_data = true;
                        "354 go on"
                    }
                    "RCPT" if !takes => "550 no such user",
                    "QUIT" => "221 bye",
                    _ => "250 ok",
                };
                stream.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
            }
        });
        let address = |text: &str| text.parse().unwrap();
        let mail = Mail {
            host: "127.0.0.1".into(),
            port,
            tls: MailTls::None,
            user: None,
            from: address("forebay@example.org"),
            to: vec![address("ada@example.org"), address("bob@example.org")],
        };
        (mail, serving)
    }

    #[tokio::test]
    async fn a_mail_has_the_alert_and_all_recipients() {
        let (mail, serving) = server(true).await;
        send(&mail, &Notice::test("storage-1", "ada")).await.unwrap();
        let received = serving.await.unwrap();
        for part in [
            "MAIL FROM:<forebay@example.org>",
            "RCPT TO:<bob@example.org>",
            "storage-1",
            "Remedy: Nothing to do.",
        ] {
            assert!(received.contains(part), "{part}: {received}");
        }
    }

    #[tokio::test]
    async fn a_refusal_is_an_error_with_the_servers_words() {
        let (mail, serving) = server(false).await;
        let error = send(&mail, &Notice::test("storage-1", "ada")).await.unwrap_err();
        assert!(error.contains("no such user"), "{error}");
        serving.abort();
        let gone = Mail { port: 1, ..mail };
        assert!(
            send(&gone, &Notice::test("storage-1", "ada"))
                .await
                .unwrap_err()
                .contains("mail server 127.0.0.1:1")
        );
    }

    #[tokio::test]
    async fn line_breaks_in_a_name_are_no_headers() {
        let (mail, serving) = server(true).await;
        let mut notice = Notice::test("storage-1", "ada");
        notice.object = "volume a\r\nBcc: eve@example.org\r\n\r\n.\r\nQUIT".into();
        let sent = send(&mail, &notice).await;
        let received = if sent.is_ok() { serving.await.unwrap() } else { String::new() };
        assert!(!received.lines().any(|line| line.starts_with("Bcc:")), "{received}");
    }
}
