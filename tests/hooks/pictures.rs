//! Pictures on their way to the model: scaled down before they are sent, left out where the server refuses them.

use super::{Stage, window::sized};
use panto::{
    backend::{Command, Event, StartSession},
    conversation::Part,
};
use serde_json::Value;

const HELLO: &str = "[[turn]]\ntimes = 0\nsteps = [{ text = \"Hello.\" }]\n";

fn png(width: u32, height: u32) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let mut out = std::io::Cursor::new(vec![]);
    let picture = image::DynamicImage::new_rgb8(width, height);
    picture.write_to(&mut out, image::ImageFormat::Png).expect("a picture");
    STANDARD.encode(out.into_inner())
}

async fn show(stage: &mut Stage, text: &str, data: String) {
    stage.seen.retain(|e| !matches!(e, Event::TurnEnded { .. }));
    let images = vec![Part::Image { mime: "image/png".into(), data }];
    stage.ask(Command::Prompt { text: text.into(), images }).await.expect("accepted");
    stage.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
}

/// Sizes of the pictures of a request, and how many notes stand for others.
fn pictures(body: &Value) -> (Vec<(u32, u32)>, usize) {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let parts = body["messages"].as_array().expect("messages").iter().filter_map(|m| m["content"].as_array()).flatten();
    let urls = parts.filter_map(|part| part["image_url"]["url"].as_str());
    let size = |url: &str| {
        let data = STANDARD.decode(url.split_once("base64,").expect("a data URL").1).expect("base64");
        let picture = image::load_from_memory(&data).expect("a picture");
        (picture.width(), picture.height())
    };
    (urls.map(size).collect(), body.to_string().matches("was left out: the server refused it").count())
}

#[tokio::test]
async fn h11_a_picture_that_is_too_large_is_scaled_down_for_the_model_alone() {
    let mut stage = sized("", HELLO, 100_000).open().await;
    show(&mut stage, "look", png(2500, 50)).await;
    assert_eq!(pictures(&stage.last()), (vec![(2000, 40)], 0));
    stage.prompt("again").await;
    assert_eq!(pictures(&stage.last()), (vec![(2000, 40)], 0));
    let (_, root) = stage.close().await;
    let mut stage = sized("", HELLO, 100_000).open_in(root, StartSession::Continue).await;
    let opened = stage.seen.iter().find_map(|e| if let Event::SessionOpened(s) = e { Some(s.clone()) } else { None });
    let whole = format!("{:?}", opened.expect("a session").transcript[0]);
    assert!(whole.contains(&png(2500, 50)), "the file has what was there");
    stage.prompt("once more").await;
    assert_eq!(pictures(&stage.last()), (vec![(2000, 40)], 0));
}

#[tokio::test]
async fn h11_a_picture_that_is_refused_becomes_a_note_and_the_turn_goes_on() {
    let refusal = "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum";
    let script = format!("[[turn]]\nsteps = [{{ status = {{ code = 400, message = \"{refusal}\" }} }}]\n{HELLO}");
    let mut stage = sized("", &script, 100_000).open().await;
    show(&mut stage, "look", png(5, 5)).await;
    assert_eq!((stage.error(), pictures(&stage.last())), (None, (vec![], 1)));
    stage.notice("a picture is left out").await;
    stage.prompt("hello").await;
    assert_eq!((stage.bodies().len(), pictures(&stage.last())), (3, (vec![], 1)), "it is not sent again");
    let (_, root) = stage.close().await;
    let mut stage = sized("", &script, 100_000).open_in(root, StartSession::Continue).await;
    let opened = stage.seen.iter().find_map(|e| if let Event::SessionOpened(s) = e { Some(s.clone()) } else { None });
    assert!(format!("{:?}", opened.expect("a session").transcript[0]).contains(&png(5, 5)), "the screen has it still");
    show(&mut stage, "another", png(6, 6)).await;
    assert_eq!(stage.bodies().len(), 2, "the new one was refused, and nothing else");
    assert_eq!((stage.error(), pictures(&stage.bodies()[0])), (None, (vec![(6, 6)], 1)), "nor by a later run");
}

#[tokio::test]
async fn of_a_picture_that_the_model_does_not_take_the_user_is_told_once() {
    let mut scene = sized("", HELLO, 100_000);
    scene.options.providers.get_mut("env").expect("configured").models[0].input = Some(vec!["text".into()]);
    let mut stage = scene.open().await;
    let told = |stage: &Stage| {
        let notices = stage.seen.iter().filter_map(|e| if let Event::Notice(n) = e { Some(&n.text) } else { None });
        notices.filter(|text| text.contains("takes no pictures")).cloned().collect::<Vec<_>>()
    };
    stage.prompt("hello").await;
    assert!(told(&stage).is_empty());
    show(&mut stage, "look", png(5, 5)).await;
    stage.prompt("again").await;
    let notices = told(&stage);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("env:bench") && notices[0].contains("/model"), "{notices:?}");
    assert!(stage.last().to_string().contains("this model takes none"));
    show(&mut stage, "another", png(6, 6)).await;
    assert_eq!(told(&stage).len(), 2, "each picture counts");
}

#[tokio::test]
async fn of_a_request_with_too_many_bytes_older_pictures_are_left_out() {
    let script =
        format!("[[turn]]\nwhen = \"third\"\nsteps = [{{ status = {{ code = 413, message = \"no\" }} }}]\n{HELLO}");
    let mut stage = sized("", &script, 100_000).open().await;
    for (text, side) in [("first", 3), ("second", 4), ("third", 5)] {
        show(&mut stage, text, png(side, side)).await;
    }
    assert_eq!((stage.error(), pictures(&stage.last())), (None, (vec![(5, 5)], 2)));
    stage.notice("2 pictures are left out").await;
}

#[tokio::test]
async fn too_many_bytes_without_a_picture_are_an_error() {
    let script = "[[turn]]\ntimes = 0\nsteps = [{ status = { code = 413, message = \"SERVER-SAYS-NO\" } }]\n";
    let mut stage = sized("", script, 100_000).open().await;
    stage.prompt("hi").await;
    assert!(stage.error().is_some_and(|e| e.contains("413") && e.contains("SERVER-SAYS-NO")));
    assert_eq!(stage.bodies().len(), 1);
}
