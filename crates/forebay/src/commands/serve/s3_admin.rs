//! The first user of S3: an administrator whose access key is written to a file, in the format of AWS's tools.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use forebay_s3::auth::users::{ADMINISTRATORS, Users};

/// The name of the first user.
const NAME: &str = "admin";

/// The file with the first user's access key: beside the file with the key that seals secrets.
fn credentials_file(secrets_key_file: &Path) -> PathBuf {
    secrets_key_file.with_extension("s3-admin")
}

/// Creates the first user with an access key, if there is no user yet.
///
/// A crash between the two leaves a key that nobody knows. Its user then has a key, so the operator has to delete the user.
pub async fn make_first_user(users: &Users, secrets_key_file: &Path) -> Result<()> {
    if users.users().iter().any(|user| !user.keys.is_empty() || user.name != NAME) {
        return Ok(());
    }
    let told = |error: forebay_s3::auth::Error| anyhow!("s3: the first user cannot be made: {error}");
    if users.users().is_empty() {
        users.create_user(NAME).await.map_err(told)?;
    }
    users.add_member(ADMINISTRATORS, NAME).await.map_err(told)?;
    let created = users.create_key(NAME, None).await.map_err(told)?;
    let file = credentials_file(secrets_key_file);
    let text = format!(
        "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n",
        created.key.id,
        created.secret.expose()
    );
    if let Err(error) = write(&file, &text) {
        // Nobody knows the secret, so the key is of no use.
        let _ = users.delete_key(&created.key.id).await;
        return Err(error);
    }
    tracing::info!(
        user = NAME,
        file = %file.display(),
        "s3: created the first user, an administrator; the file has its access key: move it to where you keep secrets"
    );
    Ok(())
}

/// Writes a file that only its owner can read.
fn write(file: &Path, text: &str) -> Result<()> {
    let written = || {
        let mut open =
            std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
        open.write_all(text.as_bytes())?;
        open.sync_all()
    };
    written().with_context(|| format!("s3: write the first user's access key to {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_credentials_lie_beside_the_key_that_seals_them() {
        assert_eq!(credentials_file(Path::new("/srv/pool.s3-key")), PathBuf::from("/srv/pool.s3-admin"));
    }
}
